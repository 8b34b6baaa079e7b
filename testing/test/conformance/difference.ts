/** One place in which two values differ. */
export interface Difference {
  /** Such as `items[3].metadata.name`; empty for the values themselves. */
  readonly path: string;
  /** Undefined where there is nothing. */
  readonly recorded: unknown;
  readonly own: unknown;
}

/** Every place in which two JSON values differ; the order of fields does not count. */
export function differences(recorded: unknown, own: unknown, path = ''): readonly Difference[] {
  if (Object.is(recorded, own)) return [];
  if (Array.isArray(recorded) && Array.isArray(own)) {
    const length = Math.max(recorded.length, own.length);
    return Array.from({ length }, (_, index) =>
      differences(recorded[index], own[index], `${path}[${index}]`),
    ).flat();
  }
  if (isObject(recorded) && isObject(own)) {
    const fields = new Set([...Object.keys(recorded), ...Object.keys(own)]);
    return [...fields].flatMap((field) =>
      differences(recorded[field], own[field], path === '' ? field : `${path}.${field}`),
    );
  }
  return [{ path, recorded, own }];
}

const SHOWN = 160;

/** For people: one line for the place, one for each side. */
export function describeDifference({ path, recorded, own }: Difference): string {
  return `${path === '' ? '(whole)' : path}\n    - ${shown(recorded)}\n    + ${shown(own)}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
