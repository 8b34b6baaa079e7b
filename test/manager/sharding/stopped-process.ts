import { TcpProxy } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../operator/core/clock.ts';
import type { Place } from '../leader/replica.ts';

/** What a replica lives in that can be stopped, as by SIGSTOP: time goes on, no timer fires, and bytes wait in its sockets. */
export class StoppableProcess {
  /** Of the replica. */
  readonly clock: Clock;
  /** What came due during the stop, in that order. */
  readonly #due = new Set<() => void>();
  readonly #line: TcpProxy;
  #isStopped = false;

  private constructor(clock: Clock, line: TcpProxy) {
    this.#line = line;
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      schedule: (delayMs, wake) => {
        const cancel = clock.schedule(delayMs, () => this.#wake(wake));
        return () => {
          cancel();
          this.#due.delete(wake);
        };
      },
    };
  }

  /** `start` starts the replica. */
  static async with<T>(
    place: Place,
    start: (process: StoppableProcess) => Promise<T>,
  ): Promise<readonly [StoppableProcess, T]> {
    const { clock, server } = place;
    const line = new TcpProxy({ port: Number(new URL(server).port) });
    await line.start();
    onTestFinished(() => line.close());
    const process = new StoppableProcess(clock, line);
    place.server = line.url;
    const replica = await start(process);
    place.server = server;
    return [process, replica];
  }

  /** At a moment when nothing is on its way. */
  stop(): void {
    this.#isStopped = true;
    this.#line.freeze();
  }

  /** Its sockets become readable. */
  thaw(): void {
    this.#line.thaw();
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
