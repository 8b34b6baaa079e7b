import { OperatorError } from 'chancery';

/** A message contains at most this number of characters of a refused value. */
const SHOWN_CHARS = 64;

/** A CompositeController or a DecoratorController has an invalid specification. */
export class InvalidSpecError extends OperatorError {
  override readonly name = 'InvalidSpecError';
  /** The invalid field: `spec.hooks.sync.webhook.url`. */
  readonly path: string;

  constructor(path: string, problem: string, options: ErrorOptions = {}) {
    super(`${path}: ${problem}`, {
      ...options,
      code: 'CONFIG',
      layer: 'configuration',
      context: { path },
    });
    this.path = path;
  }
}

/**
 * Throws an error for a field.
 *
 * @throws InvalidSpecError always.
 */
export function refuse(path: string, problem: string): never {
  throw new InvalidSpecError(path, problem);
}

/** A value for a message: quoted, and cut if it is long. */
export function shown(value: string): string {
  const text = JSON.stringify(value.slice(0, SHOWN_CHARS).toWellFormed());
  return value.length > SHOWN_CHARS ? `${text}…` : text;
}
