import * as z from "zod/v4";
import type { ToolPhraseOptions } from "../../core/tool.ts";

type Phrase = ToolPhraseOptions<{ readonly query: string; readonly limit?: number }>;

const web = "(the web|the internet|the net|the world wide web|google|bing|duckduckgo)";
const there = `(online|on ${web}|in the internet|using ${web}|via ${web}|with ${web}|from ${web}|on the world wide web)`;
const hits = "(results|search results|web results|hits|web pages|pages|websites|sites|links)";
const topics = "(for|about|on|:)";

/** The words of a search are one text, also with commas in it. */
const query = z.string().meta({ slot: "whole" });
/** The maximum number of results. */
const limit = z.number().int().min(1).max(20);

/** A phrase that mentions the web: a search without it may be about a list. */
function searching(phrase: string): Phrase {
  return { phrase, slots: { query, limit } };
}

/** Phrases about searching the web. */
export const webSearchPhrases: readonly Phrase[] = [
  searching(
    `(search|scour|browse|check|query|ask|look on|look in|search on|search in|search through) (${web}|online) ${topics} {query}`,
  ),
  searching(
    `(search|search for|look up|look for|find|find out about|find information (about|on)|get information (about|on)|research|check|read up on) {query} ${there}`,
  ),
  searching(`(do|run|make|perform|start|try) [(a|an)] (web|internet|online|google) search ${topics} {query}`),
  searching(`(web|internet|online|google) search [${topics}] {query}`),
  // Alone it is also a name, as in "ok google" and "google play".
  searching("google (for|:) {query}"),
  searching("(search|look) for {query}"),
  searching(`what does ${web} say about {query}`),
  searching(`(find|get|show|fetch|give) [me] [the] [(first|top|best)] {limit} ${hits} ${there} ${topics} {query}`),
  searching(`(find|get|show|fetch|give) [me] [the] [(first|top|best)] {limit} ${hits} ${topics} {query} ${there}`),
  searching(
    `(find|get|show|fetch|give) [me] [the] [(first|top|best)] {limit} (web|search|web search) ${hits} ${topics} {query}`,
  ),
];
