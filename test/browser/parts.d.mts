export declare const chromium: string;
export declare const mermaidScript: string;
export declare function missingParts(): string[];
