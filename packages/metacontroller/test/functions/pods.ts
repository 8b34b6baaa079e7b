/** What the functions of these tests read of Pods, in the JSON of hooks. */

export interface HookObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** Objects of one type. The keys depend on the version of the hook, so that no function uses them. */
export type ObjectsByKey<T extends HookObject = HookObject> = Readonly<Record<string, T>>;

export interface Pod extends HookObject {
  readonly spec?: object;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly { readonly env?: readonly object[] }[];
    readonly volumes?: readonly object[];
  };
}

/** The number in `BASE-NUMBER`. Undefined for a name of another form. */
export function ordinalOf(name: string, base: string): number | undefined {
  if (!name.startsWith(`${base}-`)) return undefined;
  const rest = name.slice(base.length + 1);
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

/** Objects that are named `BASE-NUMBER`, by their number. */
export function byOrdinal<T extends HookObject>(
  objects: ObjectsByKey<T> = {},
  base: string,
): ReadonlyMap<number, T> {
  const found = new Map<number, T>();
  for (const object of Object.values(objects)) {
    const ordinal = ordinalOf(object.metadata.name, base);
    if (ordinal !== undefined) found.set(ordinal, object);
  }
  return found;
}
