import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from 'chancery/low-level';
import type { FakeProvisioner } from '../provisioner/fake.ts';
import type { HostRequest } from '../provisioner/provisioner.ts';

type Asked = HostRequest & { readonly action: string };

/** A provider behind a webhook: the other side of its contract. */
export class ProvisionerServer {
  /** While it is set, every request is answered with it and 503. */
  complaint: string | undefined;
  /** Awaited when a host has been made, and before the answer. */
  afterCreate: () => Promise<unknown> = () => Promise.resolve();
  /** Every token that came along. */
  readonly tokens: string[] = [];
  readonly #provider: FakeProvisioner;
  readonly #server: Server;

  constructor(provider: FakeProvisioner) {
    this.#provider = provider;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/provision`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await text(request)) as Asked;
    const error = this.complaint;
    const answer = error === undefined ? await this.#answer(asked) : { error };
    response.writeHead(error === undefined ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  async #answer({ action, ...request }: Asked): Promise<object> {
    const call = { clock: systemClock, signal: new AbortController().signal };
    if (action === 'find') return { host: (await this.#provider.find(request.uid, call)) ?? null };
    if (action === 'create') {
      this.tokens.push(request.token);
      const host = await this.#provider.create(request, call);
      await this.afterCreate();
      return { host };
    }
    await this.#provider.remove(request.uid);
    return {};
  }
}
