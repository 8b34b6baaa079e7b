/** What a JSON text of a program or a webhook may have. Each limit keeps the work of the main thread and memory small. */
export interface JsonLimits {
  /**
   * Levels of objects and lists in each other. An API server accepts 10,000, and no object of Kubernetes has a hundred.
   * Comparing and merging deeper ones would exceed the call stack.
   */
  readonly levels: number;
  /** Objects, lists, and items of both, in the whole text. 10 MB of objects of Kubernetes have about that many. */
  readonly values: number;
  /** Documents in the whole text. Each becomes a request, or a change of a series. */
  readonly documents: number;
  /** Members of one object. JavaScript sorts the members of a large one again and again. */
  readonly members: number;
  /** Characters of one document. */
  readonly documentChars: number;
  /** Objects, lists, and items of both, in one document. */
  readonly documentValues: number;
}

/** Of texts that are one value, such as the answer of a webhook. It is read in pieces, so one document may be all. */
export const JSON_LIMITS: JsonLimits = {
  levels: 1_000,
  values: 500_000,
  members: 10_000,
  documents: Number.POSITIVE_INFINITY,
  documentChars: Number.POSITIVE_INFINITY,
  documentValues: 500_000,
};

/**
 * Of texts with many documents. An API server reads no request of more than 3 MiB, so a longer document can never be
 * sent.
 */
export const DOCUMENT_LIMITS: JsonLimits = {
  ...JSON_LIMITS,
  documents: 20_000,
  documentChars: 3 * 1024 * 1024,
  documentValues: 100_000,
};

/** Characters of the longest number: one without end would take seconds to become a bigint. */
export const MAX_NUMBER_CHARS = 1_000;

/** A text is no JSON, or beyond a limit. The message quotes nothing of it. */
export class JsonTextError extends Error {
  /** From 1. */
  readonly document: number;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.document = document;
  }
}

/** A text is beyond a limit. */
export class JsonLimitError extends JsonTextError {}
