import { Names } from './names.ts';
import type { TypeData } from './type-data.ts';

/**
 * The types that people write: what a kind holds outside its status. All others are only reported by
 * the system.
 */
export function writtenTypes(data: TypeData, kinds: readonly string[]): ReadonlySet<string> {
  const written = new Set<string>();
  const queue = [...kinds];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (written.has(name)) continue;
    written.add(name);
    for (const [field, { type }] of Object.entries(data.types[name]?.fields ?? {})) {
      const referred = Names.referred(type);
      if (field !== 'status' && referred !== undefined) queue.push(referred);
    }
  }
  return written;
}
