import { OperatorError } from 'chancery';

/** The reason why a controller is not working, for its condition. */
export interface Trouble {
  /** The reason, in CamelCase. */
  readonly reason: string;
  /** The explanation for users, in one sentence. */
  readonly message: string;
  /**
   * True when the controller must be restarted. If false, the controller continues by itself as
   * soon as the problem is gone.
   */
  readonly ends: boolean;
}

/** A controller cannot be started in the current state of the cluster. */
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
