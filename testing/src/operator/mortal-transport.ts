import type { Transport } from 'chancery';
import type { TransportRequest, TransportResponse } from 'chancery/internal';

/** Never ends: who waits for it is dead, and is collected with it. */
const NEVER: Promise<never> = new Promise(() => {});

/** A transport that can be killed: its connections break, and nothing is sent or answered after. */
export class MortalTransport implements Transport {
  readonly #transport: Transport;
  #dead = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#dead) return NEVER;
    try {
      const response = await this.#transport.send(request);
      return await (this.#dead ? NEVER : response);
    } catch (error) {
      if (this.#dead) return NEVER;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async kill(): Promise<void> {
    this.#dead = true;
    await this.#transport.close();
  }
}
