import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { messageOf, OperatorError } from '../core/errors.ts';
import { isOutputOfProgram, isToProgram } from '../model/masks/masked-call.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import type { RecordedError } from './record-line.ts';

/** Receives what happens in one exchange. */
export interface ExchangeTape {
  /** @param unread - returns the number of bytes that have arrived and that the reader has not taken yet. */
  answered(answer: TransportResponse, unread: () => number): void;
  /** Called with each chunk of the body. The bytes must not be changed. */
  arrived(bytes: Uint8Array): void;
  /** @param error - why the exchange failed; undefined when the answer is complete. */
  ended(error: RecordedError | undefined): void;
}

/**
 * `transport`, but every exchange is also reported to the tape that `tapeFor` creates for it. No bytes are
 * copied or delayed: a reader gets each chunk of a body at the same time as without the tape.
 */
export function recordingTransport(
  transport: Transport,
  tapeFor: (request: TransportRequest) => ExchangeTape,
): Transport {
  return {
    async send(request) {
      request.signal.throwIfAborted(); // an aborted request is not sent
      const tape = tapeFor(request);
      let answer: TransportResponse;
      try {
        answer = await transport.send(request);
      } catch (error) {
        tape.ended(recordedError(error, request));
        throw error;
      }
      tape.answered(answer, () => answer.body.readableLength);
      follow(answer.body, request, tape);
      return answer;
    },

    close: () => transport.close(),
  };
}

/**
 * Reports the chunks of a body to the tape. This function wraps `push`, because a listener or another stream
 * would read the body and change its back-pressure. Data that arrived together with the headers are read and
 * put back.
 */
function follow(body: Readable, request: TransportRequest, tape: ExchangeTape): void {
  const isKept = !isOutputOfProgram(request.path) && !isToProgram(request.path);
  const keep = (chunk: unknown): void => {
    if (isKept) tape.arrived(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer));
  };
  if (body.readableLength > 0) {
    const early: unknown = body.read();
    if (early !== null) {
      keep(early);
      body.unshift(early);
    }
  }
  const push = body.push.bind(body);
  body.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk !== null) keep(chunk);
    return push(chunk, encoding);
  };
  const ended = (): void => {
    const { errored } = body;
    if (errored === null) {
      tape.ended(body.readableEnded ? undefined : { code: 'ABORTED', message: 'the reader left' });
    } else tape.ended(recordedError(errored, request));
  };
  if (body.closed) ended();
  else body.once('close', ended);
}

/** An error as a record contains it. It has only the message and the code, without the stack. */
export function recordedError(
  error: unknown,
  { signal }: Partial<Pick<TransportRequest, 'signal'>> = {},
): RecordedError {
  const message = messageOf(error);
  if (signal?.aborted === true && error === signal.reason) return { code: 'ABORTED', message };
  return { code: error instanceof OperatorError ? error.code : 'ERROR', message };
}
