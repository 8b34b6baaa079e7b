/**
 * The path, starting with `path`, of the first field of `sent` that is missing in `stored`.
 * Undefined when none is missing. An API server drops unknown fields without an error. A value of
 * null is dropped intentionally.
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
