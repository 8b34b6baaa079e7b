/**
 * Limits of a JSON text from a program or a webhook. Each keeps the work of the main thread and memory small.
 */
export interface JsonLimits {
  /**
   * Maximum depth of nested objects and lists. An API server accepts 10,000, and no object of Kubernetes has
   * a hundred. Comparing and merging deeper values would exceed the call stack.
   */
  readonly levels: number;
  /**
   * Number of objects, lists, and items of both, in the whole text. About as many are in 10 MB of objects of
   * Kubernetes.
   */
  readonly values: number;
  /** Number of documents in the whole text. Each becomes a request, or a change of a time series. */
  readonly documents: number;
  /** Members of one object. JavaScript sorts the members of a large object repeatedly. */
  readonly members: number;
  /** Characters of one document. */
  readonly documentChars: number;
  /** Objects, lists, and items of both, in one document. */
  readonly documentValues: number;
}

/**
 * Limits for texts that are one value, such as the answer of a webhook. They are read in pieces, so the one
 * document may use the limits of the whole text.
 */
export const JSON_LIMITS: JsonLimits = {
  levels: 1_000,
  values: 500_000,
  members: 10_000,
  documents: Number.POSITIVE_INFINITY,
  documentChars: Number.POSITIVE_INFINITY,
  documentValues: 500_000,
};

/**
 * Limits for texts with many documents. An API server reads no request of more than 3 MiB, so a longer
 * document can never be sent.
 */
export const DOCUMENT_LIMITS: JsonLimits = {
  ...JSON_LIMITS,
  documents: 20_000,
  documentChars: 3 * 1024 * 1024,
  documentValues: 100_000,
};

/** Characters of the longest number. A number of any length would take seconds to become a bigint. */
export const MAX_NUMBER_CHARS = 1_000;

/** A text that is not JSON, or that exceeds a limit. The message quotes nothing of the text. */
export class JsonTextError extends Error {
  /** Number of the document, from 1. */
  readonly document: number;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.document = document;
  }
}

/** A text that exceeds a limit. */
export class JsonLimitError extends JsonTextError {}
