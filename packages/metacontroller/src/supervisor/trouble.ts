import { OperatorError } from 'chancery';

/** Why a controller does not work, for its condition. */
export interface Trouble {
  /** CamelCase. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /** Whether it must be started anew. Otherwise it goes on by itself, as soon as it can. */
  readonly ends: boolean;
}

/** A controller cannot be started as things are now. */
export class StartError extends OperatorError {
  override readonly name = 'StartError';
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, {
      code: 'CONFIG',
      layer: 'configuration',
      ...(cause !== undefined && { cause }),
      context: { reason },
    });
    this.reason = reason;
  }
}
