import { createConnection, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from 'chancery';
import { HookError } from '../../hook-error.ts';
import { bareHost, defaultPort, type OwnAddresses, resolved } from './own-addresses.ts';

/** The certificates and keys of a TLS connection, all as PEM. */
export interface TlsMaterial {
  /** Trusted authorities. They replace the authorities of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The target of a connection, as undici passes it. */
interface ConnectTarget {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

type ConnectCallback = (...result: [null, Socket] | [Error, null]) => void;

interface GuardedConnectorOptions {
  readonly ownAddresses: OwnAddresses;
  readonly tls: TlsMaterial;
  /** Time limit for resolving the name, connecting and the TLS handshake together. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Opens connections to webhooks. The name is resolved here, the addresses are checked, and the
 * connection uses these addresses. A name that resolves to other addresses a moment later has no
 * effect.
 */
export function guardedConnector(
  options: GuardedConnectorOptions,
): (target: ConnectTarget, callback: ConnectCallback) => void {
  return (target, callback) => {
    addressesFor(target, options.ownAddresses).then(
      (addresses) => open(target, addresses, options, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * The allowed addresses of a webhook.
 *
 * @throws HookError `RefusedAddress`; the resolver's error.
 */
async function addressesFor(
  { hostname, port, protocol }: ConnectTarget,
  ownAddresses: OwnAddresses,
): Promise<readonly string[]> {
  const addresses = await resolved(bareHost(hostname));
  const why = await ownAddresses.refusal(addresses, Number(port) || defaultPort(protocol));
  if (why === undefined) return addresses;
  throw new HookError(`the webhook may not be called: ${why}`, {
    reason: 'RefusedAddress',
    context: { host: hostname, port },
  });
}

function open(
  { hostname, port, protocol }: ConnectTarget,
  addresses: readonly string[],
  { tls, timeoutMs, clock }: GuardedConnectorOptions,
  callback: ConnectCallback,
): void {
  const host = bareHost(hostname);
  const address = {
    host,
    port: Number(port) || defaultPort(protocol),
    lookup: answering(addresses),
    autoSelectFamily: true,
    noDelay: true,
  };
  const isSecure = protocol === 'https:';
  const socket = isSecure
    ? connectTls({
        ...address,
        ...tls,
        // A TLS server name must not be an address, and has no dot at its end.
        ...(isIP(host) === 0 && { servername: host.replace(/[.]$/, '') }),
        minVersion: 'TLSv1.2',
        ALPNProtocols: ['http/1.1'],
      })
    : createConnection(address);
  const settle = (...result: Parameters<ConnectCallback>): void => {
    cancel();
    socket.off(isSecure ? 'secureConnect' : 'connect', onConnect);
    socket.off('error', onError);
    callback(...result);
  };
  const onConnect = (): void => settle(null, socket);
  const onError = (error: Error): void => settle(error, null);
  const cancel = clock.schedule(timeoutMs, () => {
    settle(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }), null);
    socket.on('error', () => {}); // closing it may raise an error, which does not matter
    socket.destroy();
  });
  socket.once(isSecure ? 'secureConnect' : 'connect', onConnect);
  socket.once('error', onError);
}

/** A lookup function that returns addresses which are already resolved. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all: wantsAll }, callback) => {
    const [first] = all;
    if (wantsAll === true) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}
