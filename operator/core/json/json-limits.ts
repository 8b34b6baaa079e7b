/**
 * Limits for JSON from a program or a webhook. Together they limit the load of the main thread and the
 * memory.
 */
export interface JsonLimits {
  /**
   * Maximum depth of nested objects and lists. An API server accepts 10,000 levels, and no Kubernetes object
   * has even a hundred. Comparing or merging values with more levels would exceed the call stack.
   */
  readonly levels: number;
  /**
   * Maximum number of objects, lists, and their members and items, in the whole text. 10 MB of Kubernetes
   * objects contain about this many.
   */
  readonly values: number;
  /**
   * Maximum number of documents in the whole text. Each document results in a request, or in a change of a
   * time series.
   */
  readonly documents: number;
  /**
   * Maximum number of members of one object, because JavaScript re-sorts the members of a large object
   * repeatedly.
   */
  readonly members: number;
  /** Maximum number of characters of one document. */
  readonly documentChars: number;
  /** Maximum number of objects, lists, and their members and items, in one document. */
  readonly documentValues: number;
}

/**
 * Limits for a text that consists of one value, such as the answer of a webhook. The text is read in pieces,
 * so the value may be as large as the limit for the whole text.
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

/** Maximum number of characters of a number. Converting a very long number to a bigint would take seconds. */
export const MAX_NUMBER_CHARS = 1_000;

/** A text that is not JSON, or that exceeds a limit. The message does not quote the text. */
export class JsonTextError extends Error {
  /** The number of the document in the text, counted from 1. */
  readonly document: number;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.document = document;
  }
}

/** A text that exceeds a limit. */
export class JsonLimitError extends JsonTextError {}
