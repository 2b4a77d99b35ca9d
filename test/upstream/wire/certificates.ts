/** A text of PEM, whose lines have 64 characters. */
const pem = (label: string, base64: string): string =>
  `-----BEGIN ${label}-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----`;

/**
 * An authority of these tests, valid until 2126, and what it has signed: a server on 127.0.0.1, or a client. Anybody may know the
 * keys: nobody trusts the authority but a test that asks for it. Made by `openssl req -x509` and `openssl x509 -req -CA`.
 */
export const authority = pem(
  'CERTIFICATE',
  'MIIBiTCCAS+gAwIBAgIUPVgIBU3ANX97UlNYVtwycaPwBGwwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTI4MTMwOTE5WhgPMjEyNjExMDQxMzA5MTlaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7UTUMjzHKrs42Fbv7Tbq65XZPVoSGLhgT1lkOmy2nh6rxlz1TAjjXQXT3OC1JbpMnr1noFPU1mdXWkxD10PXYKNTMFEwHQYDVR0OBBYEFMDWHUZ96OkRICABD6wkVPrNo67uMB8GA1UdIwQYMBaAFMDWHUZ96OkRICABD6wkVPrNo67uMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgB3yOuUOkqrMjxCABC03DXvahYVbq7roh1PQz8sdXiDsCIQC//hybuMLrarSgJoVTq2J2A8FM5M3jLdcKcK8BO+3cjg==',
);

/** A server on 127.0.0.1, or a client; both are named `loopback`. */
export const certificate = {
  key: pem(
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguRi9Zmne2WI6HIdFimD+wDLGBm0vBnarAYOtFv88XXihRANCAAS1VitClQDTA8BJBfhJApqaj3q1gTu3cKd5zYIAwE0z/w46wH8jMqynEM/Y2L1NCc2RM5RcNMuVIMJv7cfU4Xgy',
  ),
  cert: pem(
    'CERTIFICATE',
    'MIIBgzCCASmgAwIBAgIUPsglqxfstV1DzF9JGcoI1S+zLvcwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTI4MTMwOTE5WhgPMjEyNjExMDQxMzA5MTlaMBMxETAPBgNVBAMMCGxvb3BiYWNrMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtVYrQpUA0wPASQX4SQKamo96tYE7t3Cnec2CAMBNM/8OOsB/IzKspxDP2Ni9TQnNkTOUXDTLlSDCb+3H1OF4MqNTMFEwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUc3aZZwmaAv7S2dKkd1mCQ1gEhkgwHwYDVR0jBBgwFoAUwNYdRn3o6REgIAEPrCRU+s2jru4wCgYIKoZIzj0EAwIDSAAwRQIgRkpYximQpcP0u/vBfhaA+XLHSlgoomSgEgGLqgKtHCgCIQDB1aG5vkHXlHghOpL2wNj46jTqMdT5n6cNi9TcgoQghw==',
  ),
};

/** A server on 127.0.0.1 that has signed its certificate itself. */
export const selfSigned = {
  key: pem(
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNorYHNSJzyWfpu3Sh13Dgx/cdkzlXv/Du3ag3UzrYvGhRANCAARjvtZJ5fxRTEpSSr07bjIQhf5Q5QtBfqxOfE0G+j3Sk8PC1jt7x+exVOm23ddB+0MGKB+hC8PVRX7Uoko4hohI',
  ),
  cert: pem(
    'CERTIFICATE',
    'MIIBjTCCATSgAwIBAgIUSS5RfT2Qc/M3y6NCCV2lin49EX8wCgYIKoZIzj0EAwIwEzERMA8GA1UEAwwIbG9vcGJhY2swIBcNMjYxMTI5MTUxMDI4WhgPMjEyNjExMDUxNTEwMjhaMBMxETAPBgNVBAMMCGxvb3BiYWNrMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEY77WSeX8UUxKUkq9O24yEIX+UOULQX6sTnxNBvo90pPDwtY7e8fnsVTptt3XQftDBigfoQvD1UV+1KJKOIaISKNkMGIwHQYDVR0OBBYEFCi65R6P9zkwU9qB4gC03eEMuRzfMB8GA1UdIwQYMBaAFCi65R6P9zkwU9qB4gC03eEMuRzfMA8GA1UdEwEB/wQFMAMBAf8wDwYDVR0RBAgwBocEfwAAATAKBggqhkjOPQQDAgNHADBEAiABNtm0mOQGoeBNISMVLzg+O2iTy226geq+5eldmgAwWgIgJIkHhAA6G7ic4ys77Ee/NbIeSgrHdu0XBaGdsdIsiR4=',
  ),
};
