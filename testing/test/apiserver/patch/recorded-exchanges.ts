import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/apiserver/objects/json-value.ts';

/** One request to a real API server, and its answer. */
export interface RecordedExchange {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  /** As sent; undefined for none, and for YAML. */
  readonly body: unknown;
  readonly status: number;
  readonly answer: JsonObject;
}

/** The exchanges of `test/recordings/<name>.jsonl` that were answered with a JSON object. */
export function recordedExchanges(name: string): readonly RecordedExchange[] {
  const file = new URL(`../../../../test/recordings/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line): RecordedExchange[] => {
      const { id, request, response } = JSON.parse(line);
      const answer = parsed(response.body);
      if (typeof answer !== 'object' || answer === null) return [];
      return [
        {
          id,
          method: request.method,
          path: request.path,
          contentType: request.headers['content-type'] ?? '',
          body: parsed(request.body),
          status: response.status,
          answer: answer as JsonObject,
        },
      ];
    });
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
