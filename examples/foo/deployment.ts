import {
  AlreadyOwnedError,
  childName,
  type Desired,
  isInvalid,
  messageOf,
  type Outcome,
  retryRefused,
} from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import type { Foo } from './definition.ts';

/** A version that does not move: the same Foo makes the same Pods tomorrow. */
const IMAGE = 'nginx:1.29';

/** What a Foo makes, under the labels that the original gives it. */
export function deploymentFor({ metadata, spec }: Foo, name: string): Desired<Deployment> {
  const labels = { app: 'nginx', controller: childName(metadata.name, { form: 'label-value' }) };
  return {
    metadata: { name },
    spec: {
      ...(spec.replicas !== undefined && { replicas: spec.replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: IMAGE }] } },
    },
  };
}

/** Why a Foo has no Deployment. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** When to try again, where no event tells. Default: after a change. */
  readonly next?: Outcome;
}

export const NAMELESS: Problem = {
  reason: 'DeploymentNameMissing',
  message: 'spec.deploymentName must be specified',
};

/** Makes a problem of a failure that people should know of; throws any other one. */
export function problemOf(name: string): (error: unknown) => Problem {
  return (error) => {
    if (error instanceof AlreadyOwnedError) {
      const message = `Resource ${JSON.stringify(name)} already exists and is not managed by Foo`;
      return { reason: 'ErrResourceExists', message };
    }
    const next = retryRefused(error);
    const reason = isInvalid(error) ? 'DeploymentInvalid' : 'DeploymentRefused';
    return { reason, message: messageOf(error), next };
  };
}
