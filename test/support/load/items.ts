/** The items of a list as one piece of memory, of which every page is a part: no page is copied. */
export class Items {
  readonly #bytes: Buffer;
  /** Where each item begins, and where one more would. */
  readonly #starts: readonly number[];

  constructor(texts: readonly string[]) {
    const starts: number[] = [0];
    const pieces = texts.map((text, index) =>
      Buffer.from(index === texts.length - 1 ? text : `${text},`),
    );
    let at = 0;
    for (const { length } of pieces) {
      at += length;
      starts.push(at);
    }
    this.#bytes = Buffer.concat(pieces, at);
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** Items `from` to `until`, the latter not included, with the commas between them. */
  slice(from: number, until: number): Buffer {
    const start = this.#starts[from] ?? this.#bytes.length;
    const end = this.#starts[until] ?? this.#bytes.length;
    const comma = until < this.count && end > start ? 1 : 0;
    return this.#bytes.subarray(start, end - comma);
  }
}
