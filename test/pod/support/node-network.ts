import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ClusterNode } from './cluster-node.ts';
import { NODE_ADDRESS, POD_ADDRESS } from './pod-sandbox.ts';

/** Where the Pod finds the API server. */
export const API_SERVER = { host: NODE_ADDRESS, port: 6443 };

export interface NodeNetworkOptions {
  readonly node: ClusterNode;
  /** The API server's port on this machine's loopback. */
  readonly apiServerPort: number;
  /** Ports of the Pod that somebody on the node wants to ask. */
  readonly podPorts: readonly number[];
  readonly folder: string;
}

/**
 * Connects the network of the node with this process, so that nothing is changed on this machine's:
 * the API server of the test appears at the node's address, and ports of the Pod as sockets in a folder.
 */
export class NodeNetwork {
  readonly #folder: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #end: () => Promise<void>;

  private constructor(
    folder: string,
    server: Server,
    sockets: Set<Socket>,
    end: () => Promise<void>,
  ) {
    this.#folder = folder;
    this.#server = server;
    this.#sockets = sockets;
    this.#end = end;
  }

  static async start({
    node,
    apiServerPort,
    podPorts,
    folder,
  }: NodeNetworkOptions): Promise<NodeNetwork> {
    const path = join(folder, 'api.sock');
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(apiServerPort, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy()); // the other side learns of it by the end of the connection
        one.pipe(other);
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      }
    });
    server.listen(path);
    await once(server, 'listening');
    const relay = fileURLToPath(new URL('relay.ts', import.meta.url));
    const pairs = podPorts.map((port) => `${podSocket(folder, port)}=${POD_ADDRESS}:${port}`);
    const [program = '', ...args] = node.inNode([
      ...[process.execPath, relay, `${API_SERVER.host}:${API_SERVER.port}=${path}`, ...pairs],
    ]);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {}); // it may be gone before it is told to go
    const closed = once(child, 'close');
    const [said] = await Promise.race([once(child.stdout, 'data'), closed]);
    if (String(said) !== 'relaying\n') {
      server.close();
      throw new Error(`the relay ended: ${said}`);
    }
    return new NodeNetwork(folder, server, sockets, async () => {
      child.stdin.destroy();
      await closed;
    });
  }

  /** Where a port of the Pod is reached from here. */
  socketOf(port: number): string {
    return podSocket(this.#folder, port);
  }

  async end(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#end();
  }
}

function podSocket(folder: string, port: number): string {
  return join(folder, `pod-${port}.sock`);
}
