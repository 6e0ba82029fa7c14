      * The message calls of DL/I for tests: GU gets one message, the
      * text in IMS_MESSAGE; ISRT shows what a program answers.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CBLTDLI.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  MESSAGES      PIC 9 VALUE 1.
       01  MESSAGE-TEXT  PIC X(80).
       01  MESSAGE-BYTES PIC 9(4) COMP-5.
       LINKAGE SECTION.
       01  DLI-FUNCTION PIC X(4).
       01  IO-PCB.
           05 FILLER     PIC X(10).
           05 DLI-STATUS PIC XX.
       01  IO-AREA.
           05 LL         PIC S9(3) COMP.
           05 ZZ         PIC S9(3) COMP.
           05 IO-TEXT    PIC X(88).
       PROCEDURE DIVISION USING DLI-FUNCTION IO-PCB IO-AREA.
           MOVE SPACES TO DLI-STATUS
           EVALUATE TRUE
             WHEN DLI-FUNCTION = 'ISRT'
               DISPLAY 'ISRT ' IO-TEXT
             WHEN DLI-FUNCTION = 'GN  '
               MOVE 'QD' TO DLI-STATUS
             WHEN MESSAGES = 1
               MOVE 0 TO MESSAGES
               ACCEPT MESSAGE-TEXT FROM ENVIRONMENT 'IMS_MESSAGE'
               INSPECT FUNCTION REVERSE(MESSAGE-TEXT)
                 TALLYING MESSAGE-BYTES FOR LEADING SPACES
               COMPUTE MESSAGE-BYTES = 80 - MESSAGE-BYTES
               COMPUTE LL = MESSAGE-BYTES + 4
               MOVE MESSAGE-TEXT TO IO-TEXT(1:MESSAGE-BYTES)
             WHEN OTHER
               MOVE 'QC' TO DLI-STATUS
           END-EVALUATE
           GOBACK.
