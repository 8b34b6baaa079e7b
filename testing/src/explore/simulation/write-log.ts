import type { StorageEvent } from '../../apiserver/storage/storage.ts';
import type { LoggedWrite } from '../scenario/scenario.ts';
import { writeOf } from './stored-state.ts';

/** The writes of one run, each with its author. */
export class WriteLog {
  readonly all: LoggedWrite[] = [];
  #author: LoggedWrite['by'] = 'cluster';
  #taken = 0;

  /**
   * Runs `act`, and logs its writes with this author. Request handlers are asynchronous, but finish before
   * the next event: see `settleWorld`.
   */
  as(author: LoggedWrite['by'], act: () => void): void {
    this.#author = author;
    act();
  }

  /** From now on, writes are logged with the cluster as their author. */
  reset(): void {
    this.#author = 'cluster';
  }

  /**
   * Adds a write.
   * @returns the entry of the write in the log.
   */
  add(event: StorageEvent, at: { readonly atMs: number; readonly step: number }): LoggedWrite {
    const write = writeOf(event, { by: this.#author, ...at });
    this.all.push(write);
    return write;
  }

  /** Returns the writes since the last call. */
  takeFresh(): readonly LoggedWrite[] {
    const fresh = this.all.slice(this.#taken);
    this.#taken = this.all.length;
    return fresh;
  }
}
