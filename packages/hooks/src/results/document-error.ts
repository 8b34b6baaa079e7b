import { visibleJson } from 'chancery/internal';

/** A text is not a stream of documents. */
export class DocumentError extends Error {
  /** From 1. */
  readonly document: number;
  /** The message without the document's number. */
  readonly problem: string;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(`document ${document}: ${problem}`, options);
    this.document = document;
    this.problem = problem;
  }
}

/** A name in a message: quoted, and cut to 40 characters. */
export function shownName(name: string): string {
  return visibleJson(JSON.stringify(name.slice(0, 40)));
}
