/** The answer to a review, as an HTTP answer. A denial also has the status 200. */
export interface EndpointAnswer {
  readonly status: number;
  /** JSON if the status is 200, otherwise a line of text for people. */
  readonly text: string;
  /** The outcome of the review, for metrics and the status page. */
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'timeout' | 'unusable';
}

/** A path at which reviews are answered. The HTTP server uses nothing else of webhooks and conversions. */
export interface Endpoint {
  /** The name of the endpoint in log lines, in spans and on the status page. */
  readonly name: string;
  /** The path, for example `/validate/names.websites.example.com`. It is unique in a process. */
  readonly path: string;
  /** The declared number of seconds for which the API server waits for an answer. */
  readonly timeoutSeconds: number;
  /** Returns true when everything that is needed for an answer is available. */
  readonly ready: () => boolean;
  /**
   * Answers the review in `text`.
   *
   * @param limits - `timeoutMs`: how long the answer may take. `signal` aborts when the answer is no longer
   * needed.
   * @throws ProtocolError `DECODE` when `text` is not a usable review.
   */
  answer(
    text: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<EndpointAnswer>;
}
