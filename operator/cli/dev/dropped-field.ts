/**
 * The path of the first field of `sent`, below `path`, that `stored` does not have; undefined when it has all. An API server drops
 * fields that a definition does not have, without an error. A value of null is dropped as it should be.
 */
export function droppedField(sent: unknown, stored: unknown, path: string): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const fields = (stored ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(sent)) {
    const at = Array.isArray(sent) ? `${path}[${name}]` : `${path}.${name}`;
    if (value === null) continue;
    if (!Object.hasOwn(fields, name)) return at;
    const below = droppedField(value, fields[name], at);
    if (below !== undefined) return below;
  }
  return undefined;
}
