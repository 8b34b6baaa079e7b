import { listenAgain } from '../../ports/listen-again.ts';
import { type Caller, callerOf, type User } from './user.ts';

interface CallerPort {
  readonly caller: Caller;
  readonly port: Promise<number>;
}

/** Opens one port for each user. After a restart of the server, each user has the same port. */
export class CallerPorts {
  readonly #listen: (port: number, caller: Caller) => Promise<number>;
  readonly #ports = new Map<string, CallerPort>();

  /** @param listen - opens a port (any free port for 0), and resolves to its number. */
  constructor(listen: (port: number, caller: Caller) => Promise<number>) {
    this.#listen = listen;
  }

  portOf(user: string | User): Promise<number> {
    const caller = callerOf(user);
    const key = JSON.stringify(caller);
    const known = this.#ports.get(key);
    if (known !== undefined) return known.port;
    const port = this.#listen(0, caller);
    this.#ports.set(key, { caller, port });
    return port;
  }

  /** Opens every port again. */
  async listenAgain(): Promise<void> {
    for (const { caller, port } of this.#ports.values()) {
      const own = await port;
      await listenAgain(() => this.#listen(own, caller));
    }
  }
}
