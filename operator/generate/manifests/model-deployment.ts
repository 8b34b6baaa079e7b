import type { KubernetesObject } from '../../model/object.ts';

/** A variable of a container. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

/** A container, with the fields that the renderers read. */
export interface ModelContainer {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly resources?: object;
  readonly securityContext?: object;
  readonly [field: string]: unknown;
}

/** A Deployment, with the fields that the renderers read. */
export interface ModelDeployment extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly ModelContainer[];
        readonly initContainers?: readonly ModelContainer[];
        readonly volumes?: readonly { readonly name: string; readonly [field: string]: unknown }[];
        readonly [field: string]: unknown;
      };
    };
    readonly [field: string]: unknown;
  };
}
