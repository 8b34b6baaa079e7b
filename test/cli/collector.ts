import { Writable } from 'node:stream';

/** A stream that keeps the lines written to it, and lets a test wait for what it wants to see. */
export class Collector extends Writable {
  readonly lines: string[] = [];
  #rest = '';
  readonly #waiting = new Set<() => void>();

  constructor() {
    super({ decodeStrings: false });
    this.on('close', () => this.#wake());
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const parts = `${this.#rest}${chunk}`.split('\n');
    this.#rest = parts.pop() ?? '';
    this.lines.push(...parts);
    done();
    this.#wake();
  }

  /** Every line as JSON. */
  get records(): readonly Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Resolves when `condition` holds, which is looked at whenever something was written. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
