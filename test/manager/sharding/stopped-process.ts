import { TcpProxy } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Cancel, Clock } from '../../../operator/core/clock.ts';
import type { Edges } from '../leader/replica.ts';

/** Edges of a replica that can be stopped, as by SIGSTOP: time goes on, no timer fires, and bytes wait in its sockets. */
export class StoppedProcess implements Edges {
  readonly clock: Clock;
  /** What came due during the stop, in that order. */
  readonly #due = new Set<() => void>();
  #proxy: TcpProxy | undefined;
  #isStopped = false;

  constructor(clock: Clock) {
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      schedule: (delayMs, wake) => {
        const cancel = clock.schedule(delayMs, () => this.#wake(wake));
        return (): ReturnType<Cancel> => {
          cancel();
          this.#due.delete(wake);
        };
      },
    };
  }

  readonly before = async (line: string): Promise<string> => {
    const proxy = new TcpProxy({ port: Number(new URL(line).port) });
    this.#proxy = proxy;
    await proxy.start();
    onTestFinished(() => proxy.close());
    return proxy.url;
  };

  /** At a moment when nothing is on its way. */
  stop(): void {
    this.#isStopped = true;
    this.#proxy?.freeze();
  }

  /** Its sockets become readable. */
  thaw(): void {
    this.#proxy?.thaw();
  }

  /** Its timers fire that came due. */
  fire(): void {
    this.#isStopped = false;
    const due = [...this.#due];
    this.#due.clear();
    for (const wake of due) wake();
  }

  #wake(wake: () => void): void {
    if (this.#isStopped) this.#due.add(wake);
    else wake();
  }
}
