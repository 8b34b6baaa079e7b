import { isLoopbackAddress } from '../../core/loopback.ts';
import { type ReadSetting, unusable } from './text.ts';

/** The address on which a server listens. */
export interface ListenAddress {
  /** The port to listen on. 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
  /** Path of a unix socket, which replaces host and port. */
  readonly socket?: string;
}

/** The setting with the listen address of webhooks. */
export const WEBHOOK_LISTEN = 'CHANCERY_WEBHOOK_LISTEN';

/** The address where the gate of the generated manifests expects the operator. */
const DEFAULT_LISTEN: ListenAddress = { host: '127.0.0.1', port: 9_440 };

/** `sun_path` in Linux has 108 bytes, of which the last one must be 0. */
const MAX_SOCKET_BYTES = 107;

/**
 * The address where reviews are answered. The server speaks plain HTTP, so only the gate in the same Pod may
 * reach the address.
 *
 * @throws ConfigurationError `CONFIG` for an address that is neither on loopback nor a unix socket.
 */
export function webhookListen(read: ReadSetting): ListenAddress {
  const text = read(WEBHOOK_LISTEN);
  if (text === undefined) return DEFAULT_LISTEN;
  const socket = /^unix:(\/.+)$/.exec(text)?.[1];
  if (socket !== undefined && Buffer.byteLength(socket) <= MAX_SOCKET_BYTES) {
    return { ...DEFAULT_LISTEN, socket };
  }
  const [, ipv6, name = '', digits = ''] =
    /^(?:\[(::1)\]|([a-z0-9.]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = ipv6 ?? name;
  const isLoopback = host === 'localhost' || isLoopbackAddress(host);
  if (isLoopback && port <= 65_535) return { host, port };
  throw unusable(
    WEBHOOK_LISTEN,
    'HOST:PORT on loopback, such as 127.0.0.1:9440, or unix:/path.sock with at most 107 bytes',
    text,
  );
}
