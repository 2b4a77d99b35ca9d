import { fileURLToPath } from 'node:url';
import { mostTools } from '../bounds.ts';
import { attempt, readForSetting, readOperationTexts, shownId, type OperationText } from '../http/operation-texts.ts';
import { readTrustedDocument } from '../http/trusted-document-reader.ts';
import { createIncrementalCheck } from '../http/response/incremental.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { createOperationTool, type ToolParts } from './operation-tool.ts';
import { queryToolNames } from './query-tools.ts';
import type { Tool } from './tool.ts';

/** The parts that read and check the documents of tools. */
export interface ToolDocumentParts extends ToolParts {
  readonly documentLimits: Pick<DocumentLimits, 'tokens'>;
}

const curated = fileURLToPath(new URL('operations', import.meta.url));
const reserved: readonly string[] = Object.values(queryToolNames);
const isIncremental = createIncrementalCheck();

/**
 * Reads the tools that come with the gateway, and then those of `path`: a folder or manifest in the forms of
 * PERSISTED_OPERATIONS. Throws an error of one line, for whoever starts the process, that names the document at fault.
 */
export function readTools(path: string | null, parts: ToolDocumentParts): readonly Tool[] {
  return readForSetting('MCP_OPERATIONS', () => {
    const tools = new Map<string, Tool>();
    for (const text of [...readOperationTexts(curated), ...(path === null ? [] : readOperationTexts(path))]) {
      const tool = toolOf(text, parts);
      const { name } = tool.listing;
      if (tools.has(name) || reserved.includes(name))
        throw new Error(`operation ${shownId(text.id)}: there is another tool with the name ${name}`);
      tools.set(name, tool);
    }
    if (tools.size > mostTools) throw new Error(`there are ${tools.size} tools, and ${mostTools} are allowed`);
    return [...tools.values()];
  });
}

function toolOf({ id, text }: OperationText, parts: ToolDocumentParts): Tool {
  const document = readTrustedDocument(id, text, parts.documentLimits, parts.execution.checkDocument);
  return attempt(`operation ${shownId(id)} cannot be a tool`, () => {
    if (isIncremental(document)) throw new Error('it asks for its response in pieces, and a tool answers whole');
    return createOperationTool(document, commentOf(text), parts);
  });
}

/** Returns the comment with which a document begins: Apollo describes tools so. */
function commentOf(text: string): string {
  const [comment = ''] = /^(?:\s*#[^\n]*\n)*/.exec(text) ?? [];
  return comment.replaceAll(/^\s*#+/gm, '');
}
