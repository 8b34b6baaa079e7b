import { visibleJson } from 'chancery/internal';

/** A file of a hook is not a valid stream of documents, or one of its documents is invalid. */
export class DocumentError extends Error {
  /** Number of the document, counted from 1. */
  readonly document: number;
  /** The message without the number of the document. */
  readonly problem: string;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(`document ${document}: ${problem}`, options);
    this.document = document;
    this.problem = problem;
  }
}

/** A name for a message: quoted, and cut to 40 characters. */
export function shownName(name: string): string {
  return visibleJson(JSON.stringify(name.slice(0, 40)));
}
