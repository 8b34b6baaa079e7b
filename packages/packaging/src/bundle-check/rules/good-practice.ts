import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { fieldsAt, listAt, textAt } from '../fields.ts';
import { deploymentsIn, grantedRules } from '../install.ts';

const DEPLOYMENTS = 'spec.install.spec.deployments';

/**
 * A bundle must install a Deployment, and its containers should have resource requests for the
 * scheduler.
 */
export const requests: BundleRule = {
  id: 'requests',
  check(bundle) {
    const deployments = deploymentsIn(bundle);
    if (deployments.length === 0) {
      return [{ path: DEPLOYMENTS, wrong: 'is empty, so OLM installs nothing', todo: 'add one' }];
    }
    return deployments.flatMap((deployment, at) =>
      listAt(deployment, 'spec', 'template', 'spec', 'containers')
        .filter(
          (container) => Object.keys(fieldsAt(container, 'resources', 'requests')).length === 0,
        )
        .map((container) => ({
          level: 'warning' as const,
          path: `${DEPLOYMENTS}[${at}].spec.template.spec.containers[${textAt(container, 'name')}].resources.requests`,
          wrong: 'is missing, and a cluster with quotas refuses such a Pod',
          todo: 'write cpu and memory',
        })),
    );
  },
};

/** Channels should have names that users know from other packages. */
export const channelNames: BundleRule = {
  id: 'channel-name',
  check(bundle) {
    return [...new Set([...channelsOf(bundle), defaultChannelOf(bundle)])]
      .filter((channel) => channel !== '' && !/^(?:candidate|fast|stable)/.test(channel))
      .map((channel) => ({
        level: 'warning' as const,
        file: 'metadata/annotations.yaml',
        path: 'annotations',
        wrong: `names the channel ${JSON.stringify(channel)}`,
        todo: 'begin it with candidate, fast or stable',
      }));
  },
};

/** The channels of the bundle, as the annotation lists them. */
export function channelsOf({ annotations }: Bundle): readonly string[] {
  const text = textAt(annotations, 'operators.operatorframework.io.bundle.channels.v1');
  return text
    .split(',')
    .map((channel) => channel.trim())
    .filter((channel) => channel !== '');
}

/** The default channel. Empty when the annotation is missing. */
export function defaultChannelOf({ annotations }: Bundle): string {
  return textAt(annotations, 'operators.operatorframework.io.bundle.channel.default.v1').trim();
}

/** Each API should have a description, because the console shows it. */
export const descriptions: BundleRule = {
  id: 'description',
  check({ csv: { fields } }) {
    return ['owned', 'required'].flatMap((field) =>
      listAt(fields, 'spec', 'customresourcedefinitions', field).flatMap((api, at) =>
        textAt(api, 'description') === ''
          ? [
              {
                level: 'warning' as const,
                path: `spec.customresourcedefinitions.${field}[${at}].description`,
                wrong: `of ${textAt(api, 'name')} is missing`,
                todo: 'say in a sentence what the API is for',
              },
            ]
          : [],
      ),
    );
  },
};

/**
 * Reports permissions to change definitions. OLM updates definitions itself, and checks whether an
 * update is safe.
 */
export const definitionRights: BundleRule = {
  id: 'definition-rights',
  check(bundle) {
    const isIn = (list: readonly string[], words: readonly string[]): boolean =>
      words.some((word) => list.includes(word));
    return grantedRules(bundle)
      .filter(
        ({ apiGroups, resources, verbs }) =>
          isIn(apiGroups, ['apiextensions.k8s.io', '*']) &&
          isIn(resources, ['customresourcedefinitions', '*']) &&
          isIn(verbs, ['create', 'patch', '*']),
      )
      .map(
        ({ path }): BundleProblem => ({
          level: 'warning',
          path,
          wrong: 'may write definitions, which OLM does itself and more carefully',
          todo: 'leave out create and patch, and do not generate with --install-crds',
        }),
      );
  },
};
