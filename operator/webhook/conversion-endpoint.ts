import { encodeExact } from '../client/rest-client.ts';
import type { Log } from '../controller/reconciler.ts';
import { linkedAbort } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { CONVERSION_PATH } from '../model/custom-resource-definition.ts';
import type { Endpoint } from './endpoint.ts';
import { readReviewText } from './review/read-review.ts';

/**
 * Answers a parsed ConversionReview.
 *
 * @throws ProtocolError `DECODE` when no answer is possible; `signal.reason` when aborted.
 */
export type AnswerConversion = (
  review: unknown,
  options: { readonly onFailure: (error: Error) => void; readonly signal: AbortSignal },
) => Promise<object>;

/** Number of seconds for which the API server waits for a conversion. A definition cannot change it. */
const CONVERSION_SECONDS = 30;

/**
 * The endpoint that converts objects between the versions of all resources. It reads no cache. If a program
 * takes too long, the conversion fails, and the client of the API server receives the message.
 */
export function conversionEndpoint(
  answer: AnswerConversion,
  log: Log,
  clock: Clock = systemClock,
): Endpoint {
  return {
    name: 'conversion',
    path: CONVERSION_PATH,
    timeoutSeconds: CONVERSION_SECONDS,
    ready: () => true,
    async answer(text, { signal, timeoutMs }) {
      const review = await readReviewText(text, 'conversion', signal);
      using limited = linkedAbort(signal);
      const cancel = clock.schedule(timeoutMs, () => limited.abort(tooLate(timeoutMs)));
      let failure: Error | undefined;
      const answered = await answer(review, {
        signal: limited.signal,
        onFailure: (error) => {
          failure = error;
        },
      }).finally(cancel);
      signal.throwIfAborted();
      if (failure !== undefined) log.error({ err: failure }, 'conversion failed');
      const outcome = failure === undefined ? 'allowed' : 'failed';
      return { status: 200, text: encodeExact(answered), outcome };
    },
  };
}

function tooLate(timeoutMs: number): OperatorError {
  return new OperatorError(`the conversion has not ended within ${timeoutMs} ms`, {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { timeoutMs },
  });
}
