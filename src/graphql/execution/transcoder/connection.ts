import { getNamedType, isLeafType, isObjectType, type FieldNode, type GraphQLObjectType } from 'graphql';
import { Uncovered, type Selection } from '../plan/selection.ts';
import {
  edgeCursor,
  edgeNode,
  joined,
  leafOf,
  showEdges,
  type EdgePlace,
  type Place,
  type ShowConnection,
} from './connection-place.ts';
import { piecesOf } from './rows.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];

/** What is selected of the rows of a connection; no nodes where it is nothing. */
export interface SelectedRow {
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
}

/** Compiles what is asked of a connection. Hands back what is asked of its rows. Throws `Uncovered` where they are asked for twice. */
export function compileConnection(type: GraphQLObjectType, nodes: Nodes, selection: Selection) {
  const compiler = new ConnectionCompiler(selection);
  const show = compiler.show(type, nodes);
  return { row: compiler.row ?? { type: rowTypeOf(type), nodes: [] }, show };
}

function rowTypeOf(type: GraphQLObjectType): GraphQLObjectType {
  const returned = getNamedType(type.getFields()['nodes']?.type);
  if (!isObjectType(returned)) throw new Uncovered();
  return returned;
}

class ConnectionCompiler {
  row: SelectedRow | null = null;
  readonly #selection: Selection;

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** What writes an object of a type. */
  show(type: GraphQLObjectType, nodes: Nodes): ShowConnection {
    const places: Place[] = [];
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes))
      places.push(`${places.length === 0 ? '{' : ','}${JSON.stringify(key)}:`, this.#placeOf(type, fieldNodes));
    return joined(places.length === 0 ? ['{}'] : [...places, '}']);
  }

  #fieldsOf(type: GraphQLObjectType, nodes: Nodes) {
    return this.#selection.fieldsOf(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
  }

  #placeOf(type: GraphQLObjectType, nodes: Nodes): Place {
    const name = nodes[0].name.value;
    if (name === '__typename') return JSON.stringify(type.name);
    const field = type.getFields()[name];
    const returned = field && getNamedType(field.type);
    if (field?.resolve === undefined || field.args.length > 0) throw new Uncovered();
    if (isLeafType(returned)) return leafOf(field.resolve);
    if (!isObjectType(returned)) throw new Uncovered();
    if (name === 'pageInfo') return this.show(returned, nodes);
    if (name === 'edges') return showEdges(this.#edgePlacesOf(returned, nodes));
    if (name !== 'nodes') throw new Uncovered();
    this.#noteRow(returned, nodes);
    return ({ rows }) => piecesOf(rows);
  }

  #edgePlacesOf(type: GraphQLObjectType, nodes: Nodes): readonly EdgePlace[] {
    const places: EdgePlace[] = [];
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes))
      places.push(`${places.length === 0 ? '{' : ','}${JSON.stringify(key)}:`, this.#edgePlaceOf(type, fieldNodes));
    return places.length === 0 ? ['{}'] : [...places, '}'];
  }

  #edgePlaceOf(type: GraphQLObjectType, nodes: Nodes): EdgePlace {
    const name = nodes[0].name.value;
    if (name === '__typename') return JSON.stringify(type.name);
    if (name === 'cursor') return edgeCursor;
    const returned = getNamedType(type.getFields()[name]?.type);
    if (name !== 'node' || !isObjectType(returned)) throw new Uncovered();
    this.#noteRow(returned, nodes);
    return edgeNode;
  }

  #noteRow(type: GraphQLObjectType, nodes: Nodes): void {
    if (this.row !== null) throw new Uncovered();
    this.row = { type, nodes };
  }
}
