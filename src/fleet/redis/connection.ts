import { createClient, RESP_TYPES as respTypes, type RedisClientType } from 'redis';
import { channelGreeting, storeBackoffMs, storeCommands, storeConnectMs, storeGreeting } from '../../bounds.ts';

/** A part of a command. */
export type Part = string | Buffer;

/** One connection to Redis: it is made once, and not again after it is lost. */
export type Connection = RedisClientType;

/** For replies: texts are bytes, since what is sealed is no text. */
export const asBytes = { typeMapping: { [respTypes.BLOB_STRING]: Buffer } };

/** A connection that is still to be made. It keeps no process alive; `fail` runs when it is lost. */
export function createConnection(url: string, fail: (error: unknown) => void): Connection {
  const connection: Connection = createClient({
    url,
    // What waits for a reply is bounded, and nothing waits for a connection.
    commandsQueueMaxLength: storeCommands,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    socket: { connectTimeout: storeConnectMs, reconnectStrategy: false },
  });
  connection.on('error', fail);
  connection.unref();
  return connection;
}

/**
 * Gives up a connection that sends more than a greeting and so many channels take: what waits for its end would fill the memory, or take
 * seconds to read. Returns the function that lifts the limit. The client's own decoder is the only place where all of it comes by.
 */
export function limitGreeting(connection: Connection, channels: number): () => void {
  // It has no public name.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  const { decoder } = connection._getQueue();
  const write = decoder.write.bind(decoder);
  let left = storeGreeting + channels * channelGreeting;
  decoder.write = (chunk) => {
    left -= chunk.length;
    if (left < 0) connection.destroy();
    else write(chunk);
  };
  return () => (decoder.write = write);
}

/** The wait before the next attempt, in milliseconds, with jitter: replicas that lost one store do not all come back at one moment. */
export function backoff(failures: number): number {
  const longest = Math.min(storeBackoffMs.longest, storeBackoffMs.first * 2 ** failures);
  return longest / 2 + (longest / 2) * Math.random();
}
