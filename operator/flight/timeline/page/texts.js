/**
 * @import { TimelineData } from '../timeline-data.ts'
 */

/** The texts of the page, unpacked when they are asked for; see `PackedText`. */
export class Texts {
  /** @type {readonly string[]} */
  #lines;
  /** @type {TimelineData['texts']} */
  #packed;
  /** @type {Map<number, readonly number[]>} */
  #unpacked = new Map();

  /** @param {Pick<TimelineData, 'lines' | 'texts'>} data */
  constructor({ lines, texts }) {
    this.#lines = lines;
    this.#packed = texts;
  }

  /** @param {number} line */
  line(line) {
    return this.#lines[line] ?? '';
  }

  /**
   * The lines of a text, as numbers.
   *
   * @param {number | undefined} text
   * @returns {readonly number[]}
   */
  numbers(text) {
    if (text === undefined || text < 0) return [];
    const known = this.#unpacked.get(text);
    if (known !== undefined) return known;
    const [base = -1, head = 0, tail = 0, ...between] = this.#packed[text] ?? [];
    const under = this.numbers(base);
    const whole = [...under.slice(0, head), ...between, ...under.slice(under.length - tail)];
    this.#unpacked.set(text, whole);
    return whole;
  }
}
