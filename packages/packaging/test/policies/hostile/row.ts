/** How rows of the tables are written. */
import { HOME, type Write } from '../garden.ts';

export const CORE = `/api/v1/namespaces/${HOME}`;
export const APPS = `/apis/apps/v1/namespaces/${HOME}`;
export const OWN = `/apis/example.dev/v1/namespaces/${HOME}`;
export const NET = `/apis/networking.k8s.io/v1/namespaces/${HOME}`;
export const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${HOME}/leases`;
export const EVENTS = `/apis/events.k8s.io/v1/namespaces/${HOME}/events`;

/** The same in a namespace that the operator has nothing to do with. */
export const elsewhere = (path: string): string => path.replace(`/${HOME}/`, '/next-door/');

export type Row = readonly [title: string, path: string, body?: object, manager?: string];

export const of =
  (method: Write['method'], apply = false) =>
  ([title, path, body, manager]: Row): Write => ({
    ...{ title, method, path },
    ...(body !== undefined && { body }),
    ...(apply && { apply }),
    ...(manager !== undefined && { manager }),
  });

export const named = (
  apiVersion: string,
  kind: string,
  name: string,
  rest: object = {},
  more = {},
) => ({
  ...{ apiVersion, kind },
  metadata: { name, ...more },
  ...rest,
});
