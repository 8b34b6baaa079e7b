/** The error for a request that the admin endpoint refuses. */
export class RefusedRequest extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
