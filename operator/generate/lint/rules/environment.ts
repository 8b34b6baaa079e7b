import { AMBASSADOR_ENVIRONMENT } from '../../../access/filter/ambassador-image.ts';
import type { Container } from '../../../model/kubernetes/core-v1.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { variable } from '../installation.ts';
import { ambassadorKubeconfig } from '../kubeconfig.ts';

/**
 * Environment variables that change the behaviour of the ambassador, with the only allowed value of
 * each.
 */
const FIXED: readonly (readonly [name: string, value: string | undefined, why: string])[] = [
  ['KUBERC', 'off', 'a kuberc file may turn the filter off'],
  ['HOME', '/nonexistent', 'kubectl reads a configuration from there'],
  ['KUBECONFIG', undefined, 'kubectl then does not use the token that the kubelet renews'],
  ['DISABLE_HTTP2', undefined, 'an API server that no longer answers would never be noticed'],
  ['KUBERNETES_SERVICE_HOST', undefined, 'it decides which server receives the token'],
  ['KUBERNETES_SERVICE_PORT', undefined, 'it decides which server receives the token'],
  ['SSL_CERT_FILE', undefined, 'it decides which servers are trusted as the API server'],
  ['SSL_CERT_DIR', undefined, 'it decides which servers are trusted as the API server'],
];

export const proxyEnvironment: Rule = {
  id: 'proxy-environment',
  check: ({ proxy: { container, path }, kubectl }) => [
    ...FIXED.flatMap(([name, expected, why]) => wrongValue(container, path, name, expected, why)),
    ...(kubectl === undefined ? [] : missing(container, path)),
    ...proxied(container, path),
    ...(container.envFrom ?? []).map((_, at) => ({
      path: `${path}.envFrom[${at}]`,
      wrong: 'brings variables that are not visible here',
      why: 'KUBECONFIG, KUBERC or HTTPS_PROXY could be among them',
      todo: 'write the variables out under env',
    })),
  ],
};

function wrongValue(
  container: Container,
  path: string,
  name: string,
  expected: string | undefined,
  why: string,
): readonly Problem[] {
  const found = variable(container, name);
  if (found === undefined || (expected !== undefined && found.value === expected)) return [];
  const todo = expected === undefined ? 'leave it out' : `set ${expected}`;
  return [{ path: `${path}.env[${name}]`, wrong: 'is set', why, todo }];
}

/**
 * Reports variables that the entry point of our own image sets, and that another image does not
 * set.
 */
function missing(container: Container, path: string): readonly Problem[] {
  return Object.entries(AMBASSADOR_ENVIRONMENT)
    .filter(([name]) => variable(container, name) === undefined)
    .map(([name, value]) => ({
      path: `${path}.env[${name}]`,
      wrong: 'is missing',
      why:
        FIXED.find(([fixed]) => fixed === name)?.[2] ??
        'only the image chancery-proxy sets it by itself',
      todo: `set ${JSON.stringify(value)}`,
    }));
}

/**
 * Reports a proxy for outgoing requests. Some clusters need a corporate proxy. If NO_PROXY is set,
 * the proxy is intended.
 */
function proxied(container: Container, path: string): readonly Problem[] {
  const noProxy = variable(container, 'NO_PROXY');
  const name = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].find(
    (each) => variable(container, each) !== undefined,
  );
  if (name === undefined && (noProxy === undefined || noProxy.value === '*')) return [];
  return [
    {
      level: 'warning',
      path: `${path}.env[${name ?? 'NO_PROXY'}]`,
      wrong: 'may put a proxy between the ambassador and the API server',
      why: 'its owner can read the traffic if its CA is trusted, and nothing works while it is down',
      todo: 'set NO_PROXY to "*", unless the API server is reached through a proxy only',
    },
  ];
}

export const operatorEnvironment: Rule = {
  id: 'operator-environment',
  check: (installation) => {
    const { containers, operator, proxy } = installation;
    const withoutCredential = ambassadorKubeconfig(installation)?.variable;
    return containers
      .filter(({ container }) => container !== proxy.container)
      .flatMap(({ container, path }) =>
        (container.env ?? [])
          .filter(
            (each) =>
              (container !== operator?.container || each !== withoutCredential) &&
              CREDENTIAL.test(each.name),
          )
          .map(({ name }) => ({
            path: `${path}.env[${name}]`,
            wrong: 'gives this container a credential',
            why: 'only the ambassador has one',
            todo: 'leave it out, and send requests to the ambassador',
          })),
      );
  },
};

const CREDENTIAL = /^KUBECONFIG$|(?:^|_)(?:KUBE|K8S|SERVICE_ACCOUNT)_?TOKEN$/;
