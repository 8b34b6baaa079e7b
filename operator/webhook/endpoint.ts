/** An answer to a review, as HTTP has it. A denial has the status 200, too. */
export interface EndpointAnswer {
  readonly status: number;
  /** JSON with the status 200, a line for people with any other. */
  readonly text: string;
  /** What became of the question, for metrics and the status page. */
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'timeout' | 'unusable';
}

/** A path at which reviews are answered. The server knows nothing else of webhooks and conversions. */
export interface Endpoint {
  /** Names it in log lines, spans and on the status page. */
  readonly name: string;
  /** Such as `/validate/names.websites.example.com`. Unique in a process. */
  readonly path: string;
  /** Seconds that the API server waits for an answer, as declared. */
  readonly timeoutSeconds: number;
  /** True when everything that the answers need is there. */
  readonly ready: () => boolean;
  /**
   * Answers the review in `text`.
   *
   * @param limits - `timeoutMs`: how long the answer may take. `signal` aborts when nobody waits for it.
   * @throws ProtocolError `DECODE` when `text` is no usable review.
   */
  answer(
    text: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<EndpointAnswer>;
}
