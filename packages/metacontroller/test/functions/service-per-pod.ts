/** A Service for each Pod of a StatefulSet that asks for it. The function of examples/metacontroller. */
import type { HookObject, ObjectsByKey } from './pods.ts';

interface StatefulSet extends HookObject {
  readonly spec: { readonly replicas?: number };
}

interface Request {
  readonly object: StatefulSet;
  readonly attachments: { readonly 'Service.v1': ObjectsByKey };
  readonly finalizing: boolean;
}

const LABEL = 'service-per-pod-label';
const PORTS = 'service-per-pod-ports';

/** Both `sync` and `finalize`. */
export function sync({ object, attachments, finalizing }: Request): object {
  if (finalizing)
    return { attachments: [], finalized: Object.keys(attachments['Service.v1']).length === 0 };
  const { name, annotations = {} } = object.metadata;
  const ports = (annotations[PORTS] ?? '').split(',').map(portOf);
  const pods = Array.from({ length: object.spec.replicas ?? 1 }, (_, at) => `${name}-${at}`);
  return {
    attachments: pods.map((pod) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: pod, labels: { app: 'service-per-pod' } },
      spec: { selector: { [annotations[LABEL] ?? '']: pod }, ports },
    })),
  };
}

/** `80:8080` is port 80 of the Service and port 8080 of the Pod. */
function portOf(text: string): object {
  const [port, targetPort] = text.split(':').map(Number);
  return { name: `port-${port}`, port, targetPort };
}
