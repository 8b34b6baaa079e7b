import { POD_NAMESPACE } from '../../../access/placement.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { argumentPath, variable } from '../installation.ts';

const GENERATE = 'take what `chancery generate proxy` prints';

export const acceptPathsGiven: Rule = {
  id: 'accept-paths-given',
  check: ({ flags, proxy }) => {
    const flag = flags.values.get('accept-paths');
    if (flag !== undefined && flag.value !== '') return [];
    return [
      {
        path: flag === undefined ? `${proxy.path}.args` : argumentPath(proxy, flag),
        wrong: 'opens no path with --accept-paths',
        why: 'the ambassador refuses everything, its own probe as well',
        todo: GENERATE,
      },
    ];
  },
};

export const acceptPathsExact: Rule = {
  id: 'accept-paths-exact',
  check: (installation) => {
    const { flags, proxy } = installation;
    const flag = flags.values.get('accept-paths');
    if (flag === undefined) return [];
    return installation.accepted.flatMap(({ element, pattern }, at): readonly Problem[] => {
      if (typeof pattern !== 'string') return [];
      const [wrong = '', why = ''] = pattern.split(/: (.*)/s, 2);
      return [
        {
          path: argumentPath(proxy, flag),
          wrong: `element ${at + 1} of --accept-paths, ${JSON.stringify(element)}, ${wrong}`,
          why: why === '' ? 'it must mean what it looks like to kubectl and to people' : why,
          todo: GENERATE,
        },
      ];
    });
  },
};

export const argumentVariables: Rule = {
  id: 'argument-variables',
  check: ({ proxy }) => {
    const { container, path } = proxy;
    const source = variable(container, 'POD_NAMESPACE')?.valueFrom?.fieldRef?.fieldPath;
    return (container.args ?? []).flatMap((arg, at): readonly Problem[] => {
      const names = new Set(
        [...arg.matchAll(/(?<!\$)(?:\$\$)*(\$\([^)]*\)?)/g)].map(([, use]) => use),
      );
      const others = [...names].filter((use) => use !== POD_NAMESPACE);
      const stray = others.map((use) => ({
        path: `${path}.args[${at}]`,
        wrong: `has ${use}`,
        why: 'the kubelet replaces $(NAME), and only a namespace has no character that means more',
        todo: 'write $$( for a dollar before a parenthesis, or leave it out',
      }));
      if (!names.has(POD_NAMESPACE) || source === 'metadata.namespace') return stray;
      return [
        ...stray,
        {
          path: `${path}.env[POD_NAMESPACE]`,
          wrong: 'is not the field metadata.namespace',
          why: `${POD_NAMESPACE} in the arguments would stay as it is, or be another namespace`,
          todo: 'set valueFrom.fieldRef.fieldPath: metadata.namespace in this container',
        },
      ];
    });
  },
};
