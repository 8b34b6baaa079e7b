import { readFileSync } from 'node:fs';
import type { BuiltInType } from '../../../testing/src/apiserver/built-in-types/built-in-types.ts';

/** The types by their full name, and the full names by `apiVersion/kind`. */
export interface TypeData {
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, BuiltInType>>;
}

export function readTypeData(): TypeData {
  const file = '../../../testing/src/apiserver/built-in-types/kubernetes.json';
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as TypeData;
}
