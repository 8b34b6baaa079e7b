import { expect } from 'vitest';
import { maskedExchange } from '../../../operator/cli/record/masked-exchange.ts';
import type { RecordedExchange } from '../../../operator/cli/record/recorded-exchange.ts';
import { SecretValues } from '../../../operator/model/masks/secret-values.ts';

/** A request and its answer. */
export interface Passed {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer?: unknown;
}

/** Texts stand as they are, all else as JSON. */
export function exchange({
  method = 'GET',
  path,
  type = 'application/json',
  ...rest
}: Passed): RecordedExchange {
  const { body, status = 200, answer = {} } = rest;
  const asText = (value: unknown): string =>
    typeof value === 'string' ? value : JSON.stringify(value);
  const headers = { 'content-type': type };
  return {
    id: 1,
    at: 0,
    request: { method, path, headers, ...(body !== undefined && { body: asText(body) }) },
    response: { status, headers: { 'content-type': 'application/json' }, body: asText(answer) },
  };
}

export function masked(passed: Passed, values = new SecretValues()): RecordedExchange {
  const result = maskedExchange(exchange(passed), values);
  return typeof result === 'string' ? expect.unreachable(result) : result;
}

export function bodyOf(passed: Passed, values?: SecretValues): unknown {
  return JSON.parse(masked(passed, values).request.body ?? '');
}

export function answerOf(passed: Passed, values?: SecretValues): unknown {
  return JSON.parse(masked(passed, values).response.body ?? '');
}
