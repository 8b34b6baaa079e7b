/** A line of `chancery watch`, as far as tests look at it. */
export interface PrintedEvent {
  readonly type: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly managedFields?: readonly unknown[];
    };
    readonly data?: Readonly<Record<string, string>>;
  };
}

export function printedEvents(lines: readonly string[]): readonly PrintedEvent[] {
  return lines.map((line) => JSON.parse(line) as PrintedEvent);
}

/** `ADDED a`, for assertions on order. */
export function summary(lines: readonly string[]): readonly string[] {
  return printedEvents(lines).map(({ type, object }) => `${type} ${object.metadata.name}`);
}

/** A ConfigMap in the namespace `demo`. */
export function configMap(name: string, data: Readonly<Record<string, string>> = { k: '1' }) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'demo' }, data };
}
