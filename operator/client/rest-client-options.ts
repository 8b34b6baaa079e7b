import type { Clock } from '../core/clock.ts';
import type { Transport } from '../transport/transport.ts';

/** What a client is made of. */
export interface RestClientOptions {
  /** What its requests go through. Whoever made it closes it. */
  readonly transport: Transport;
  /** Names us in `metadata.managedFields`. Another name later is another owner of our fields. */
  readonly fieldManager: string;
  /** For a `Retry-After` that is a date. */
  readonly clock: Clock;
  /** `lease`: on connections of its own and with a short deadline. Default `call`. */
  readonly purpose?: 'call' | 'lease';
  /**
   * Answers carry integers beyond ±2^53 as `bigint`, exactly, instead of the nearest `number`. For a
   * client that reads objects of others and writes them back whole. Default false: a cache, which is
   * fed by watches, has numbers only, and what was read would differ from it.
   */
  readonly exactIntegers?: boolean;
  /**
   * What the server does about fields that it does not know, and about those that come twice:
   * `Strict` refuses the write (400), `Warn` drops them and says so, `Ignore` drops them. Default: the
   * server's own, `Warn`.
   */
  readonly fieldValidation?: FieldValidation;
  /**
   * Given each text of a `Warning` header, as often as it comes: deprecated versions, unknown fields,
   * what an admission webhook finds remarkable. Must not throw.
   */
  readonly onWarning?: (text: string) => void;
}

/** See `RestClientOptions.fieldValidation`. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';
