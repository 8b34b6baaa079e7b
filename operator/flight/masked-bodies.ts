import { jsonOf } from '../core/json/json-of.ts';
import { maskedAnswer } from '../model/masks/masked-call.ts';
import type { SecretValues } from '../model/masks/secret-values.ts';
import type { KeptChunk } from './kept-line.ts';
import type { AnswerLine, ChunkLine, RequestLine } from './record-line.ts';

/** The state of an exchange while its lines are being written. */
interface Body {
  readonly isWatch: boolean;
  /** True if objects in the body that have no `kind` are Secrets. */
  readonly hasSecret: boolean;
  answer: AnswerLine | undefined;
  readonly decoder: InstanceType<typeof TextDecoder>;
  /** For a watch, the beginning of an incomplete line. For any other answer, everything that has arrived. */
  text: string[];
  bytes: number;
  carried: boolean;
}

const LINE_BREAK = '\n';

/**
 * Decodes answers and masks secret values in them. A secret value may be split between two chunks. So a watch
 * is masked line by line, and any other answer is masked when all of it has arrived. A body that is not text
 * from the Kubernetes API is omitted.
 */
export class MaskedBodies {
  readonly #values: SecretValues;
  readonly #bodies = new Map<number, Body>();

  constructor(values: SecretValues) {
    this.#values = values;
  }

  begin({ id, purpose }: RequestLine, hasSecret: boolean): void {
    this.#bodies.set(id, {
      ...{ isWatch: purpose === 'watch', hasSecret, answer: undefined, text: [], bytes: 0 },
      decoder: new TextDecoder('utf-8', { ignoreBOM: true }),
      carried: false,
    });
  }

  answer(line: AnswerLine): void {
    const body = this.#bodies.get(line.id);
    if (body !== undefined) body.answer = line;
  }

  /** The lines of a watch that are complete with this chunk. Undefined if there is nothing to write yet. */
  chunk({ bytes, ...line }: KeptChunk): ChunkLine | undefined {
    const body = this.#bodies.get(line.id);
    if (body === undefined) return undefined;
    body.bytes += bytes.length;
    body.carried = line.carried === true;
    const text = body.decoder.decode(bytes, { stream: true });
    if (!body.isWatch || body.answer?.status !== 200) {
      body.text.push(text);
      return undefined;
    }
    const end = text.lastIndexOf(LINE_BREAK) + 1;
    if (end === 0) {
      body.text.push(text);
      return undefined;
    }
    const whole = body.text.join('') + text.slice(0, end);
    body.text = end < text.length ? [text.slice(end)] : [];
    return { ...line, ...this.#maskedLines(whole, body) };
  }

  /** The rest of an answer that has ended and was not written yet. Undefined when there is none. */
  end(id: number, at: number): ChunkLine | undefined {
    const body = this.#bodies.get(id);
    this.#bodies.delete(id);
    if (body === undefined || body.bytes === 0) return undefined;
    const text = body.text.join('') + body.decoder.decode();
    if (text === '') return undefined;
    const line = {
      kind: 'chunk',
      at,
      id,
      ...(body.carried && { carried: true as const }),
    } as const;
    return isTextOfApi(body.answer, text)
      ? { ...line, text: maskedAnswer(text, body.hasSecret, this.#values) }
      : { ...line, text: '', leftOut: Buffer.byteLength(text) };
  }

  /** The ids of the answers that have not ended, in the order of their requests. */
  open(): readonly number[] {
    return [...this.#bodies.keys()];
  }

  #maskedLines(whole: string, { hasSecret }: Body): Pick<ChunkLine, 'text' | 'leftOut'> {
    let leftOut = 0;
    const masked = whole.split(LINE_BREAK).map((text) => {
      if (text.trim() === '') return text;
      if (jsonOf(text) !== undefined) return maskedAnswer(text, hasSecret, this.#values);
      leftOut += Buffer.byteLength(text);
      return '';
    });
    return { text: masked.join(LINE_BREAK), ...(leftOut > 0 && { leftOut }) };
  }
}

/**
 * True if the body may be recorded after masking. JSON must be complete: in complete JSON it is known where
 * secret values are, but in a fragment they may be anywhere. Plain text is accepted as well, because such
 * answers are short.
 */
function isTextOfApi(answer: AnswerLine | undefined, text: string): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } =
    answer?.headers ?? {};
  if (encoding !== 'identity') return false;
  if (/^application\/json\b/.test(type)) return jsonOf(text) !== undefined;
  return /^text\/plain\b|^$/.test(type);
}
