import { modelOf, type OperatorModel, type ScopeModel, scopeModel } from 'chancery/internal';

/**
 * Placeholders for values of a release in the model of an operator, until the model is printed as a
 * template. Each placeholder is a DNS label, because the model accepts nothing else.
 */
export const NAME = 'name-of-the-release';
export const NAMESPACE = 'namespace-of-the-release';
export const WATCHED = 'namespaces-that-are-watched';

/** An operator in which every name is a placeholder. */
export interface OpenModel {
  readonly model: OperatorModel;
  /**
   * The scope of the operator if the watched namespaces are listed in a value. Undefined if the
   * arguments of the operator decide which namespaces it watches.
   */
  readonly listed: ScopeModel | undefined;
}

/**
 * The model with placeholders instead of names.
 *
 * @throws Error when a declaration contains a placeholder.
 */
export function openModel({ access, definitions, options }: OperatorModel): OpenModel {
  const given = JSON.stringify([access.declared, definitions, options]);
  const taken = [NAME, NAMESPACE, WATCHED].find((each) => given.includes(each));
  if (taken !== undefined) throw new Error(`an operator must not contain ${taken}`);
  const open = { ...options, name: NAME, namespace: NAMESPACE };
  return {
    model: modelOf(access, open),
    listed:
      options.watched === undefined
        ? scopeModel('namespaced', access, { ...open, watched: [WATCHED] })
        : undefined,
  };
}
