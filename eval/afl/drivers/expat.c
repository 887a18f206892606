// Parses XML with Expat, and calls handlers for everything in it.

#include <stdint.h>
#include <stdlib.h>

#include "expat.h"

static void start(void *data, const XML_Char *name, const XML_Char **attributes) { (void)data, (void)name, (void)attributes; }
static void end(void *data, const XML_Char *name) { (void)data, (void)name; }
static void text(void *data, const XML_Char *text, int length) { (void)data, (void)text, (void)length; }
static void instruction(void *data, const XML_Char *target, const XML_Char *text) { (void)data, (void)target, (void)text; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  XML_Parser parser = XML_ParserCreateNS(NULL, '|');
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, text);
  XML_SetProcessingInstructionHandler(parser, instruction);
  XML_Parse(parser, (const char *)data, (int)size, 1);
  XML_ParserFree(parser);
  return 0;
}
