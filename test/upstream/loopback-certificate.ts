/**
 * A key and a certificate for TLS on 127.0.0.1, signed by itself and valid until 2126. Anybody may know them: nobody trusts them but a test
 * that asks for it. Made by `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=loopback -addext
 * subjectAltName=IP:127.0.0.1`.
 */
export const loopbackCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdlHlcXKN6v92LNq8
+ks7ukUHSWp2HREv5kA35iFKj/+hRANCAAQp6gWAcq9N9Ryu6g+dQ7kCPI/qEZWd
7U+b8DqlyVnUCvS2HZKx81TFOAs4enPZ78NsLQ7kO5Iv0/skx0O0pvyX
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBjjCCATSgAwIBAgIUYeZ8NmHlsKsmyWKPwOayqM4xWdUwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIbG9vcGJhY2swIBcNMjYxMTIzMDkyOTQ1WhgPMjEyNjEwMzAw
OTI5NDVaMBMxETAPBgNVBAMMCGxvb3BiYWNrMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEKeoFgHKvTfUcruoPnUO5AjyP6hGVne1Pm/A6pclZ1Ar0th2SsfNUxTgL
OHpz2e/DbC0O5DuSL9P7JMdDtKb8l6NkMGIwHQYDVR0OBBYEFId9XEz7TQklF/uN
ehfd+5WU2zqSMB8GA1UdIwQYMBaAFId9XEz7TQklF/uNehfd+5WU2zqSMA8GA1Ud
EwEB/wQFMAMBAf8wDwYDVR0RBAgwBocEfwAAATAKBggqhkjOPQQDAgNIADBFAiBs
KTIZB23EqFaLqpI+bxXn+QI96XKOSeqCnI7djFsVDQIhAKd3JPrsUVPfC0J5qBST
keRkud/1itqtTFzD61YoWK04
-----END CERTIFICATE-----`,
};
