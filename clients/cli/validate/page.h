// The first part of docs/validation.md: what the papers print against what the product answers.
// Pure functions, any thread.
#ifndef COX_CLI_VALIDATE_PAGE_H_
#define COX_CLI_VALIDATE_PAGE_H_

#include <string>
#include <vector>

#include "cli/validate/scores.h"

namespace cox::cli {

// "printed and asked of the product: 26 of 33 within tolerance; best algorithm: 40 of 50 rankings,
// 30 of 50 with the machine's parameters alone"
std::string HeadlineOf(const PaperScore& all);

// A number with four digits.
std::string FourDigits(double value);

// The page in Markdown, up to the arithmetic, which bin/validation_report writes.
std::string PageOf(const std::vector<Asked>& asked);

}  // namespace cox::cli

#endif  // COX_CLI_VALIDATE_PAGE_H_
