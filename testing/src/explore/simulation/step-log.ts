import type { Step } from './run-result.ts';

/** The events of a run so far, and the effects of each. */
export class StepLog {
  readonly all: Step[] = [];
  #notes: string[] = [];

  get length(): number {
    return this.all.length;
  }

  /** Begins an event. The notes that follow are recorded as its effects. */
  begin(event: Omit<Step, 'index' | 'notes'>): void {
    this.#notes = [];
    this.all.push({ index: this.all.length, ...event, notes: this.#notes });
  }

  note(text: string): void {
    this.#notes.push(text);
  }
}
